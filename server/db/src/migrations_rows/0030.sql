UPDATE users SET seen_at = 1 WHERE id = 1;
