BEGIN TRANSACTION;
CREATE TABLE recipes (
    id TEXT PRIMARY KEY, parts TEXT NOT NULL, opening TEXT NOT NULL, corpus_bytes INTEGER NOT NULL,
    corpus BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL);
INSERT INTO "recipes" VALUES('sfwr6ze2sl7fwglsoofyvtibug','{"algorithm":"byte_bpe","corpus":"","format":1,"min_count":1,"pattern":["gpt2","''(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"],"special_tokens":["<|endoftext|>"],"tie_rule":"lower_ids","vocab_size":265}','low low lower ',18,X'7801CBC92F57C8C92FE702E2D4225E2E86C32B013DC4067B',261,1700000001.0);
INSERT INTO "recipes" VALUES('u3de6r4iyblg3u33tgdbaug42o','{"algorithm":"byte_bpe","corpus":"","format":1,"min_count":1,"pattern":["custom","\\w+|\\W"],"special_tokens":["<|endoftext|>"],"tie_rule":"first_seen","vocab_size":265}','low low lower ',18,X'7801CBC92F57C8C92FE702E2D4225E2E86C32B013DC4067B',193,1700000100.0);
INSERT INTO "recipes" VALUES('nkzokmpr7rgejt3ntmuufbogii','{"algorithm":"byte_bpe","corpus":"","format":1,"min_count":2,"pattern":["gpt2","''(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"],"special_tokens":[],"tie_rule":"greater_bytes","vocab_size":null}','to be or not to be to be or not to be to be or not to be to be or not to be to b',760,X'78012BC957484A55C82F52C8CB2F5128017320E4A8502A343C46436218860400669BFAF1',263,1700000003.0);
CREATE TABLE sessions (key TEXT PRIMARY KEY, seen REAL NOT NULL);
INSERT INTO "sessions" VALUES('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',1700000100.0);
CREATE TABLE uploads (
    key TEXT PRIMARY KEY, session TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, size INTEGER NOT NULL,
    at REAL NOT NULL);
INSERT INTO "uploads" VALUES('eSn0U44Yxwijm4dLepApSg','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','old.txt',X'636166E9',4,1700000005.0);
CREATE TABLE visits (
    session TEXT NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    run TEXT NOT NULL, step INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, run));
INSERT INTO "visits" VALUES('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','u3de6r4iyblg3u33tgdbaug42o',3,1700000100.0);
CREATE INDEX recipes_by_use ON recipes (used);
CREATE INDEX sessions_by_seen ON sessions (seen);
CREATE INDEX visits_by_time ON visits (session, at);
CREATE INDEX uploads_by_time ON uploads (at);
COMMIT;
PRAGMA user_version = 1;
