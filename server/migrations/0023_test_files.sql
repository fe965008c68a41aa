-- Whether a test file is still used is looked up when datasets are deleted.
CREATE INDEX test_tree_files_by_file ON test_tree_files (checksum);
