UPDATE audit SET object = 'dataset x' WHERE id = 1;
