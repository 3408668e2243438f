/** The text that replaces a secret. */
export const HIDDEN = '[redacted]'

interface Shape {
  /** Shown to people in place of the secret. */
  readonly name: string
  readonly pattern: string
}

/** Requires a digit or a capital soon after a prefix that words share (`sk-learn`, `pk_orders`). */
const MIXED = String.raw`(?=[a-z_-]{0,80}[\dA-Z])`

/** Where a secret begins, which may be right after an underscore: `tool__sk-ant-…`. */
const BEGIN = '(?<![A-Za-z0-9])'

/**
 * Secrets that are recognised by their shape anywhere. A pattern that needs a certain end must not
 * be able to start within its own match: hostile text would make it quadratic.
 */
const SHAPES: readonly Shape[] = [
  {
    name: 'JSON web token',
    pattern: String.raw`(?<![\w-])eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*){0,3}`,
  },
  { name: 'Anthropic key', pattern: String.raw`${BEGIN}sk-ant-[\w-]{12,}` },
  { name: 'OpenAI key', pattern: String.raw`${BEGIN}sk-${MIXED}[\w-]{12,}` },
  {
    name: 'Stripe key',
    pattern: String.raw`${BEGIN}(?:sk|rk|whsec)_${MIXED}\w{12,}|${BEGIN}pk_(?:live|test)_\w{12,}|${BEGIN}[pr]k-${MIXED}[\w-]{12,}`,
  },
  {
    name: 'GitHub token',
    pattern: String.raw`${BEGIN}gh[pousr]_[A-Za-z0-9]{16,}|${BEGIN}github_pat_\w{16,}`,
  },
  { name: 'GitLab token', pattern: String.raw`${BEGIN}gl(?:pat|ptt|rt|cbt|dt)-[\w-]{16,}` },
  {
    name: 'Slack token',
    pattern: String.raw`${BEGIN}xox[abeoprs]-[\w-]{8,}|${BEGIN}xapp-${MIXED}[\w-]{8,}`,
  },
  {
    name: 'Slack webhook',
    pattern: String.raw`${BEGIN}hooks\.slack\.com/services/T\w{1,20}/B\w{1,20}/\w+`,
  },
  { name: 'AWS access key', pattern: String.raw`${BEGIN}(?:AKIA|ASIA)[0-9A-Z]{16}\b` },
  {
    name: 'Google API key',
    pattern: String.raw`${BEGIN}AIza[\w-]{30,}|${BEGIN}ya29\.[\w-]{16,}|${BEGIN}GOCSPX-[\w-]{16,}`,
  },
  { name: 'Hugging Face token', pattern: String.raw`${BEGIN}hf_${MIXED}[A-Za-z0-9]{16,}` },
  { name: 'npm token', pattern: String.raw`${BEGIN}npm_${MIXED}[A-Za-z0-9]{16,}` },
  { name: 'PyPI token', pattern: String.raw`${BEGIN}pypi-${MIXED}[\w-]{16,}` },
  { name: 'SendGrid key', pattern: String.raw`(?<![\w-])SG\.[\w-]{16,}\.[\w-]{16,}` },
  { name: 'DigitalOcean token', pattern: String.raw`${BEGIN}do[opr]_v1_\w{16,}` },
  { name: 'Shopify token', pattern: String.raw`${BEGIN}shp(?:at|ca|pa|ss)_\w{16,}` },
  { name: 'Docker token', pattern: String.raw`${BEGIN}dckr_pat_[\w-]{16,}` },
  { name: 'Grafana token', pattern: String.raw`${BEGIN}glsa_\w{16,}` },
  { name: 'Linear key', pattern: String.raw`${BEGIN}lin_api_\w{16,}` },
  {
    name: 'Notion token',
    pattern: String.raw`${BEGIN}ntn_\w{16,}|${BEGIN}secret_${MIXED}[A-Za-z0-9]{16,}`,
  },
  { name: 'Groq key', pattern: String.raw`${BEGIN}gsk_\w{16,}` },
  { name: 'xAI key', pattern: String.raw`${BEGIN}xai-${MIXED}[\w-]{16,}` },
  { name: 'Perplexity key', pattern: String.raw`${BEGIN}pplx-[\w-]{16,}` },
  { name: 'Replicate token', pattern: String.raw`${BEGIN}r8_\w{16,}` },
  { name: 'Atlassian token', pattern: String.raw`${BEGIN}ATATT3[\w=-]{16,}` },
  { name: 'Databricks token', pattern: String.raw`${BEGIN}dapi[0-9a-f]{32}` },
  { name: 'Twilio key', pattern: String.raw`${BEGIN}SK[0-9a-f]{32}\b` },
  { name: 'Telegram bot token', pattern: String.raw`${BEGIN}\d{8,10}:AA[\w-]{33}` },
  { name: 'Azure storage key', pattern: String.raw`${BEGIN}AccountKey=[A-Za-z0-9+/=]{40,}` },
  { name: 'CommonTrace key', pattern: String.raw`${BEGIN}ct_${MIXED}[\w-]{32,}` },
  { name: 'Portolan key', pattern: String.raw`${BEGIN}pt[kharcs]_${MIXED}[\w.-]{12,}` },
  {
    name: 'private key',
    pattern:
      String.raw`-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-(?!----)[^-]*)*` +
      String.raw`(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`,
  },
]

const ANY_SHAPE = new RegExp(SHAPES.map(({ pattern }) => pattern).join('|'), 'g')
const BY_NAME = SHAPES.map(({ name, pattern }) => ({ name, pattern: new RegExp(pattern) }))

/** `https://user:password@host`. A slash may be part of a password, but not right after a port. */
const URL_CREDENTIALS =
  /(:\/\/)(?!git@)([^\s/?#"'`<>]+|[^\s/:@"'`<>]{1,256}:(?!\d{1,5}[/?#])[^\s@"'`<>]{1,256})@/g

interface Context {
  readonly name: string
  /** Has two groups: the text that stays, and the value. */
  readonly pattern: RegExp
  /** The longest plain word that is part of a sentence instead ("a basic understanding"). */
  readonly longestWord?: number
}

/** Places where a secret of any shape may be. */
const CONTEXTS: readonly Context[] = [
  {
    name: 'bearer token',
    pattern:
      /\b(Bearer\s+)(?!authenti|authoriz|credential|certificate|(?:access|tokens?|schemes?|headers?)\b)([\w.~+/=-]{6,})/gi,
    longestWord: 7,
  },
  {
    name: 'password of basic authentication',
    pattern: /\b(Basic\s+)([\w.~+/=-]{6,})/gi,
    longestWord: 40,
  },
  {
    name: 'secret in a header',
    pattern: /((?:authorization|cookie)\\?["']?\s*[=:]\s*\\?["']?)([^\s"'\\][^"'\\\r\n]{2,})/gi,
    longestWord: 7,
  },
  {
    name: 'secret in an argument',
    pattern: /(--[a-z-]{0,30}(?:password|token|secret|key)\s+)([^\s-]\S{2,})/gi,
  },
  {
    // `curl -u name:password`, but not `docker run -u 1000:1000` or `--user node:node`.
    name: 'password in a command',
    pattern:
      /(\s(?:-u|--user|--proxy-user)[\s=]["']?[^\s:"'/$]{1,64}:)(?!\d+(?!\S))([^\s"'$][^\s"']{2,})/g,
    longestWord: 40,
  },
  {
    name: 'secret in an assignment',
    pattern:
      /((?:pass(?:word|wd|phrase)s?|(?<![a-z])pass|pwd|secrets?|token|credentials?|signature|api[-_]?keys?|(?:access|auth|session)[-_]?id|(?:access|private|auth|session|client|signing|encryption|service|master|account)[-_]?key)\\?["']?\s*(?:=>|[=:])\s*\\?["'`]?)((?<=["'`])[^"'`\\\r\n]{3,500}|[^\s"'`\\&,;}\])]{3,})/gi,
  },
]

/** Words and placeholders in place of a secret: `token: expected string`, `Bearer <token>`. */
const NO_SECRET =
  /^(?:\[redacted\]?$|\$\{|<[\w -]{1,40}>|\*{3}|(?:expected|required|missing|invalid|unknown|string|number|boolean|object|array|null|undefined|true|false|none)\b)/i
const SCHEME = /^(?:Bearer|Basic|Token|Digest)\s+/i
/** A word of a sentence, unlike anything that a generator makes. */
const PLAIN_WORD = /^[A-Za-z]?[a-z]*(?:[-/][a-z]+)*[.,:;)]*$/

/** Hides everything that looks like a secret; leaves other text and hidden text unchanged. */
export function hide(text: string): string {
  if (text.length < 8) return text
  const clean = text.replace(URL_CREDENTIALS, `$1${HIDDEN}@`).replace(ANY_SHAPE, HIDDEN)
  return CONTEXTS.reduce(
    (left, context) =>
      left.replace(context.pattern, (whole: string, kept: string, value: string, at: number) =>
        mayBeSecret(value, context) && !isHelp(left, at, kept, value) ? kept + HIDDEN : whole,
      ),
    clean,
  )
}

/** Whether a text holds a secret recognised by its shape alone, such as one of our own keys. */
export function hasSecretShape(text: string): boolean {
  return text.search(ANY_SHAPE) !== -1
}

/** Returns the secrets in a text that are recognised by their shape alone. */
export function secretsIn(text: string): string[] {
  return text.length < 8 ? [] : [...text.matchAll(ANY_SHAPE)].map(([secret]) => secret)
}

/**
 * Returns the kinds of secret in a text, never the secrets. Stricter than `hide` where only the
 * context suggests a secret, so that callers that refuse such a text do not refuse examples.
 */
export function find(text: string): string[] {
  const found = BY_NAME.filter(({ pattern }) => pattern.test(text)).map(({ name }) => name)
  const urls = [...text.matchAll(URL_CREDENTIALS)].map(([, , credentials = '']) => credentials)
  if (urls.some(hasRealPassword)) found.push('password in a URL')
  for (const context of CONTEXTS)
    if ([...text.matchAll(context.pattern)].some(([, , value = '']) => isGenerated(value, context)))
      found.push(context.name)
  return found
}

/** Names of variables, headers, flags and settings that hold a secret. */
const SECRET_NAME =
  /pass(?:word|wd|phrase)|(?:^|[-_])pass$|pwd$|secret|token(?!s|iz)|credential|api[-_]?key|(?:access|private|auth|session|client|signing|encryption|service|master|account)[-_]?key|[-_]key$|^key$|authorization|(?:^|[-_])auth$|cookie|session[-_]?id|signature|dsn$|connection[-_]?string|database[-_]?url|[-_]pat$|^pat$|webhook/i

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

function mayBeSecret(value: string, { longestWord = 0 }: Context): boolean {
  const bare = value.replace(SCHEME, '')
  const word = firstWord(bare)
  return !NO_SECRET.test(bare) && !(word.length <= longestWord && PLAIN_WORD.test(word))
}

/** Whether this is an option in a help text, with the beginning of a sentence: `--password: the …`. */
function isHelp(text: string, at: number, kept: string, value: string): boolean {
  const option = `${/-[\w-]{0,40}$/.exec(text.slice(Math.max(0, at - 41), at))?.[0] ?? ''}${kept}`
  const end = at + kept.length + value.length
  const after = text.slice(end, end + 2)
  return /^--?[\w-]+(?::\s+| {2,})$/.test(option) && PLAIN_WORD.test(value) && /^ \w/.test(after)
}

function firstWord(text: string): string {
  return /^\S*/.exec(text)?.[0] ?? ''
}

/** Placeholders that people write instead of a secret. */
const EXAMPLE =
  /^(?:[$<{%[(*.]|process\.|os\.|env|import\.|config|settings|secrets?[.[(]|get|read|load|your|my|the|some|example|sample|dummy|fake|test|changeme|change-me|placeholder|password|passwd|postgres|secret|token|xxx|null|none|true|false|undefined|string|str\b|required|optional|hunter2|redacted)/i

function hasRealPassword(credentials: string): boolean {
  const colon = credentials.indexOf(':')
  return colon !== -1 && !EXAMPLE.test(credentials.slice(colon + 1))
}

/** Whether a value mixes kinds of characters and repeats few; words and names do not. */
function isGenerated(value: string, { longestWord }: Context): boolean {
  const bare = longestWord ? firstWord(value.replace(SCHEME, '')) : value
  if (bare.length < 6 || EXAMPLE.test(bare) || /\s/.test(bare)) return false
  if (/[().]/.test(bare) && /^[A-Za-z_][\w.()[\]]*$/.test(bare)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(bare)).length
  return kinds >= 2 && /\d/.test(bare) && entropy(bare) >= 2.5
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
