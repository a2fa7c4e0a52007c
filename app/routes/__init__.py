"""The addresses, a module for each family of pages and one for the JSON interface. A handler reads, asks, renders."""
