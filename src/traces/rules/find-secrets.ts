interface SecretPattern {
  readonly type: string
  readonly pattern: RegExp
}

/** Shapes that are secrets wherever they stand. Only the type is ever reported, never the match. */
const SHAPES: readonly SecretPattern[] = [
  { type: 'AWS access key', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { type: 'GitHub token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})/ },
  { type: 'GitLab token', pattern: /\bglpat-[\w-]{20,}/ },
  { type: 'Slack token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/ },
  { type: 'Slack webhook', pattern: /hooks\.slack\.com\/services\/T\w{1,20}\/B\w{1,20}\/\w/ },
  { type: 'Stripe key', pattern: /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}/ },
  { type: 'Google API key', pattern: /\bAIza[\w-]{35}\b/ },
  { type: 'Anthropic key', pattern: /\bsk-ant-[\w-]{20,}/ },
  { type: 'OpenAI key', pattern: /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{20,}/ },
  { type: 'npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { type: 'PyPI token', pattern: /\bpypi-[A-Za-z0-9_-]{40,}/ },
  { type: 'SendGrid key', pattern: /\bSG\.[\w-]{16,64}\.[\w-]{16}/ },
  { type: 'Twilio key', pattern: /\bSK[0-9a-f]{32}\b/ },
  { type: 'Telegram bot token', pattern: /\b\d{8,10}:AA[\w-]{33}\b/ },
  { type: 'Azure storage key', pattern: /AccountKey=[A-Za-z0-9+/=]{40,}/ },
  { type: 'CommonTrace key', pattern: /\bct_[A-Za-z0-9_-]{43}\b/ },
  { type: 'private key', pattern: /-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/ },
  { type: 'JSON web token', pattern: /\beyJ[\w-]{10,400}\.eyJ[\w-]{10,2000}\.[\w-]{10}/ },
]

const BASIC_AUTH = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@'"]{1,256}:([^\s@'"]{1,256})@/gi
const BEARER = /\bbearer\s+([\w.~+/-]{20,}=*)/gi
const ASSIGNMENT =
  /(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret|private[_-]?key|credential)s?["']?\s*(?::|=>|=)\s*(["'`]?)([^\s"'`,;)}\]]{6,})\1/gi

/** What people write where a secret would stand. */
const PLACEHOLDER =
  /^(?:[$<{%[(*.]|process\.|os\.|env|import\.|config|settings|secrets?[.[(]|get|read|load|your|my|the|some|example|sample|dummy|fake|test|changeme|change-me|placeholder|password|passwd|postgres|secret|token|xxx|\*{3}|null|none|true|false|undefined|string|str\b|required|optional|hunter2|redacted)/i

/** The types of secret that a text seems to hold. */
export function findSecrets(text: string): string[] {
  const found = SHAPES.filter(({ pattern }) => pattern.test(text)).map(({ type }) => type)
  if (matches(text, BASIC_AUTH, 1).some(isReal)) found.push('password in a URL')
  if (matches(text, BEARER, 1).some((value) => isReal(value) && isRandom(value)))
    found.push('bearer token')
  if (matches(text, ASSIGNMENT, 2).some((value) => isReal(value) && isRandom(value)))
    found.push('secret in an assignment')
  return found
}

function matches(text: string, pattern: RegExp, group: number): string[] {
  return [...text.matchAll(pattern)].map((match) => match[group] ?? '')
}

function isReal(value: string): boolean {
  return !PLACEHOLDER.test(value)
}

/** A generated value mixes kinds of characters and repeats few of them; a word or a name does not. */
function isRandom(value: string): boolean {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(value)).length
  if (/[().]/.test(value) && /^[A-Za-z_][\w.()[\]]*$/.test(value)) return false
  return kinds >= 2 && /\d/.test(value) && entropy(value) >= 2.5
}

/** Bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>()
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) {
    const share = count / value.length
    bits -= share * Math.log2(share)
  }
  return bits
}
