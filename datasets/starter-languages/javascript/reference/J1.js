const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
