UPDATE outputs SET instruction = 1 WHERE id = 2;
