-- The audit log says from where a change came, and its actions have names of one form.

ALTER TABLE audit ADD COLUMN via TEXT CHECK (via IN ('session', 'token', 'command line')); -- absent: older than this
ALTER TABLE audit ADD COLUMN token_id INTEGER REFERENCES api_tokens (id);
ALTER TABLE audit ADD COLUMN address TEXT;                                                 -- the client's

UPDATE audit SET action = CASE action
    WHEN 'adjudicate' THEN 'output.adjudicate'
    WHEN 'adjudicator add' THEN 'adjudicator.add'
    WHEN 'adjudicator remove' THEN 'adjudicator.remove'
    WHEN 'extra rating' THEN 'output.add_rating'
    WHEN 'flag answer' THEN 'flag.answer'
    WHEN 'import' THEN 'dataset.import'
    WHEN 'invite' THEN 'invitation.create'
    WHEN 'join' THEN 'invitation.accept'
    WHEN 'revoke invitation' THEN 'invitation.revoke'
    WHEN 'known scores add' THEN 'known_scores.add'
    WHEN 'known scores retire' THEN 'known_scores.retire'
    WHEN 'known scores ask again' THEN 'known_scores.restore'
    WHEN 'opening let in' THEN 'calibration.let_in'
    WHEN 'opening reset' THEN 'calibration.reset'
    WHEN 'password' THEN 'user.set_password'
    WHEN 'public link create' THEN 'public_link.create'
    WHEN 'public link revoke' THEN 'public_link.revoke'
    WHEN 'ratings import' THEN 'ratings.import'
    WHEN 'run.again' THEN 'run.repeat'
    WHEN 'study copy' THEN 'study.copy'
    WHEN 'study create' THEN 'study.create'
    WHEN 'study extend' THEN 'study.extend'
    WHEN 'study join' THEN 'study.add_rater'
    WHEN 'study leave' THEN 'study.remove_rater'
    WHEN 'study pace' THEN 'study.set_pace'
    WHEN 'study quality' THEN 'study.set_quality'
    WHEN 'study status' THEN 'study.set_status'
    WHEN 'submission mask' THEN 'submission.mask'
    WHEN 'submission unmask' THEN 'submission.unmask'
    WHEN 'take submission' THEN 'submission.import'
    WHEN 'prune' THEN 'storage.prune'
    WHEN 'token create' THEN 'token.create'
    WHEN 'token revoke' THEN 'token.revoke'
    WHEN 'user add' THEN 'user.create'
    WHEN 'user disable' THEN 'user.deactivate'
    WHEN 'user enable' THEN 'user.activate'
    WHEN 'user reads' THEN 'user.set_languages'
    WHEN 'webhook create' THEN 'webhook.create'
    WHEN 'webhook remove' THEN 'webhook.remove'
    WHEN 'webhook test' THEN 'webhook.test'
    ELSE action
END;
