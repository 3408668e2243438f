import { hide } from '../../../base/secrets/secrets.ts'

/** Private data that is not a secret, or may be a secret of an unknown shape. */
const PRIVATE: readonly (readonly [RegExp, string])[] = [
  [/\b[A-Za-z0-9+/_-]{40,}={0,2}/g, '[long token]'],
  [/\b[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\b/gi, '[e-mail]'],
  [/(\/home\/|\/Users\/|[A-Za-z]:\\Users\\)[^\s/\\:"']{1,64}/g, '$1user'],
]

/** Redacts a text before any of it leaves this machine. Redact first, cut afterwards. */
export function redact(text: string): string {
  return PRIVATE.reduce((left, [pattern, by]) => left.replaceAll(pattern, by), hide(text))
}

const SENSITIVE =
  /^(?:\.env(?:\..*)?|\.netrc|\.npmrc|\.pypirc|id_(?:rsa|dsa|ecdsa|ed25519).*|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|.*(?:secret|credential|password|passwd|token)s?.*)$/i

/** Returns the file names that may be sent, without names that suggest a secret. */
export function withoutSensitive(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => !SENSITIVE.test(name))
}
