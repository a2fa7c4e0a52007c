"""What the command `merge-next` does, a module for each word that may follow it."""
