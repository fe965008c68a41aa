UPDATE webhook_deliveries SET error = '{"code":"status","status":500}' WHERE id = 1;
UPDATE collection_requests SET level_order = 'worst_first', error = '{"code":"timeout","seconds":300}' WHERE id = 1;
UPDATE collections SET reason = '{"kind":"failing","text":{"code":"timeout","seconds":300}}' WHERE id = 1;
UPDATE routines SET error = '{"code":"disk_full","path":"/backups"}' WHERE name = 'backup';
