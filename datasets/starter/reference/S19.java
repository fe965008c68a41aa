public long[] splitAmount(long totalCents, int[] weights) {
    long sum = 0;
    for (int weight : weights) {
        if (weight < 0) {
            throw new IllegalArgumentException("negative weight: " + weight);
        }
        sum += weight;
    }
    if (totalCents < 0 || sum == 0) {
        throw new IllegalArgumentException("nothing to split, or nobody to give it to");
    }
    long[] shares = new long[weights.length];
    long left = totalCents;
    for (int i = 0; i < weights.length; i++) {
        shares[i] = totalCents * weights[i] / sum;
        left -= shares[i];
    }
    for (int i = 0; left > 0; i++) {
        if (weights[i] > 0) {
            shares[i]++;
            left--;
        }
    }
    return shares;
}
