-- The audit log names what was changed, in one form: `study 3`.

ALTER TABLE audit ADD COLUMN object TEXT; -- absent: an older entry that does not say

UPDATE audit SET object = CASE
    WHEN detail LIKE 'study %' THEN 'study ' || CAST(substr(detail, 7) AS INTEGER)
    WHEN action LIKE 'study.%' THEN 'study ' || CAST(detail AS INTEGER)
    WHEN action = 'public_link.create' THEN 'study ' || CAST(substr(detail, instr(detail, ' study ') + 7) AS INTEGER)
    WHEN action = 'public_link.revoke'
        THEN 'study ' || (SELECT study_id FROM public_links WHERE id = CAST(detail AS INTEGER))
    WHEN action LIKE 'run.%' THEN 'run ' || CAST(substr(detail, 5) AS INTEGER)
    WHEN action = 'submission.import' THEN 'submission ' || CAST(detail AS INTEGER)
    WHEN action LIKE 'submission.%' THEN 'submission ' || CAST(substr(detail, 12) AS INTEGER)
    WHEN action = 'dataset.import' AND instr(detail, ' ') > 0
        THEN 'dataset ' || substr(detail, 1, instr(detail, ' ') - 1)
    WHEN action = 'ratings.import' AND instr(detail, ':') > 0
        THEN 'dataset ' || substr(detail, 1, instr(detail, ':') - 1)
    WHEN action = 'user.create' AND instr(detail, ' ') > 0
        THEN 'account ' || substr(detail, 1, instr(detail, ' ') - 1)
    WHEN action = 'user.set_password' AND detail LIKE 'reset for %' THEN 'account ' || substr(detail, 11)
    WHEN action IN ('user.set_password', 'invitation.accept')
        THEN 'account ' || (SELECT name FROM users WHERE users.id = audit.user_id)
    WHEN action LIKE 'user.%'
        THEN 'account ' || (SELECT name FROM users WHERE users.id = CAST(audit.detail AS INTEGER))
    WHEN action = 'invitation.revoke' THEN 'invitation ' || CAST(detail AS INTEGER)
    WHEN action LIKE 'token.%' THEN 'token ' || CAST(detail AS INTEGER)
    WHEN action LIKE 'webhook.%' THEN 'webhook ' || CAST(detail AS INTEGER)
    WHEN action = 'storage.prune' THEN 'storage'
END;
