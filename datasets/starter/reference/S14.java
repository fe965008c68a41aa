public long copyAtMost(InputStream in, OutputStream out, long limit) throws IOException {
    byte[] buffer = new byte[8192];
    long copied = 0;
    while (copied < limit) {
        int read = in.read(buffer, 0, (int) Math.min(buffer.length, limit - copied));
        if (read < 0) {
            break;
        }
        out.write(buffer, 0, read);
        copied += read;
    }
    out.flush();
    return copied;
}
