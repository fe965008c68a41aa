INSERT INTO api_tokens (id, user_id, secret_hash, prefix, label, scopes, created_at, expires_at, last_used_at, revoked_at)
    VALUES (1, 1, 'th', 'ax_', 'ci', '["read"]', 1000, 9000, 1100, NULL);
INSERT INTO idempotency_keys (token_id, key, request_hash, status, content_type, location, body, created_at)
    VALUES (1, 'i1', 'rh', 201, 'application/json', '/x', x'7b7d', 1000);
INSERT INTO webhooks (id, url, secret, events, created_by, created_at) VALUES (1, 'https://a.example', 's', '["run.ended"]', 1, 1000);
INSERT INTO webhook_deliveries (id, webhook_id, event, subject, state, body, attempts, status, error, created_at, next_at)
    VALUES (1, 1, 'run.ended', 1, 'waiting', '{}', 1, 500, 'no', 1000, 2000);
INSERT INTO public_links (id, study_id, secret_hash, code, created_by, created_at, expires_at, revoked_at)
    VALUES (1, 2, 'ph', 1, 1, 1000, NULL, NULL);
