UPDATE rater_settings SET display = 'dark large compact wrap' WHERE user_id = 2;
