public String maskEmail(String email) {
    int at = email == null ? -1 : email.lastIndexOf('@');
    if (at < 1) {
        return email;
    }
    String shown = at == 1 ? "*" : email.charAt(0) + "*".repeat(at - 1);
    return shown + email.substring(at);
}
