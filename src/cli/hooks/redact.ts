/** What is taken out of a text before any of it leaves this machine. Redact first, cut afterwards. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY[^-]{0,20}-----[\s\S]{0,8000}?-----END [A-Z ]{0,40}PRIVATE KEY[^-]{0,20}-----/g,
    '[private key]',
  ],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/:@]{1,256}:[^\s@]{1,256}@/gi, '$1[credentials]@'],
  [/\b(bearer)\s+\S{8,}/gi, '$1 [token]'],
  [
    /((?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret|authorization|credential)s?["']?\s*(?::|=)\s*)("[^"\n]{0,500}"|'[^'\n]{0,500}'|[^\s,;]{1,500})/gi,
    '$1[redacted]',
  ],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, '[aws key]'],
  [
    /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|sk-|sk_live_|rk_live_|npm_|pypi-|ct_)[\w-]{10,}/g,
    '[token]',
  ],
  [/\b[A-Za-z0-9+/_-]{40,}={0,2}/g, '[long token]'],
  [/\b[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\b/gi, '[e-mail]'],
  [/(\/home\/|\/Users\/|[A-Za-z]:\\Users\\)[^\s/\\:"']{1,64}/g, '$1user'],
]

export function redact(text: string): string {
  return REPLACEMENTS.reduce((left, [pattern, by]) => left.replaceAll(pattern, by), text)
}

const SENSITIVE =
  /^(?:\.env(?:\..*)?|\.netrc|\.npmrc|\.pypirc|id_(?:rsa|dsa|ecdsa|ed25519).*|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|.*(?:secret|credential|password|passwd|token)s?.*)$/i

/** The names that may be told: a file named after what it hides is left out. */
export function speakable(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => !SENSITIVE.test(name))
}
