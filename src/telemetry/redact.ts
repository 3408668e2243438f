const HIDDEN = '[redacted]'

/**
 * Tokens that give themselves away by their shape, wherever they stand. A shape that needs a certain
 * end must not begin within itself: hostile text would make it quadratic.
 */
const SHAPES = [
  // JSON Web Tokens
  String.raw`(?<![\w-])eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]*)?`,
  // OpenAI, Anthropic and the many that copied them; Stripe
  String.raw`\b(?:sk|pk|rk|whsec)[-_][A-Za-z0-9_-]{12,}`,
  // GitHub, GitLab
  String.raw`\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{16,}|\bgl(?:pat|ptt|rt|cbt|dt)-[\w-]{16,}`,
  // Slack
  String.raw`\bx(?:ox[abeprs]|app)-[\w-]{8,}`,
  // AWS, Google
  String.raw`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bya29\.[\w-]{16,}|\bGOCSPX-[\w-]{16,}`,
  // Hugging Face, npm, PyPI, SendGrid, DigitalOcean, Shopify, Docker, Grafana, Linear, Notion, Groq, xAI, Replicate, Perplexity, Atlassian, Databricks
  String.raw`\b(?:hf|npm|dop_v1|shp(?:at|ca|pa|ss)|dckr_pat|glsa|lin_api|ntn|secret|gsk|r8)_[A-Za-z0-9_-]{16,}`,
  String.raw`\b(?:pypi|xai|pplx)-[\w-]{16,}|(?<![\w-])SG\.[\w-]{16,}\.[\w-]{16,}|\bATATT3[\w=-]{16,}|\bdapi[0-9a-f]{32}`,
  // Portolan's own keys and handles
  String.raw`\bpt[kh]_[A-Za-z0-9_.-]{12,}`,
  String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
]

const BY_SHAPE = new RegExp(SHAPES.join('|'), 'g')

/** `Bearer …`: the scheme stays, the value goes; "Bearer authentication" is prose. */
const BY_SCHEME =
  /\b(Bearer|Basic)\s+(?!authenti|authoriz|tokens?\b|access\b)[A-Za-z0-9._~+/=-]{6,}/gi

/** `Authorization: …` may be of any scheme: the whole line goes, up to a quote. */
const BY_HEADER =
  /((?:authorization|cookie)\\?["']?\s*[=:]\s*\\?["']?)(?!\[redacted)[^"'\\\r\n]{3,}/gi

/** `password=…`, `"api_key": "…"`: the name stays, the value goes. */
const BY_NAME =
  /((?:pass(?:word|wd|phrase)?|pwd|secret|token|credential|signature|api[-_]?key|(?:access|private|secret|auth|session)[-_]?(?:key|token|id))\\?["']?\s*[=:]\s*\\?["']?)(?!\[redacted)[^\s"'\\&,;}\])]{3,}/gi

/** `--api-key …` on a command line. */
const BY_FLAG = /(--[a-z-]{0,30}(?:password|token|secret|key)\s+)(?!\[redacted|-)\S{3,}/gi

const IN_URL = /(:\/\/)[^\s/@?#]+@/g

/** Hides what could be a secret. Strings that hold none come back as they are. */
export function redact(text: string): string {
  if (text.length < 8) return text
  return text
    .replace(IN_URL, `$1${HIDDEN}@`)
    .replace(BY_SHAPE, HIDDEN)
    .replace(BY_SCHEME, `$1 ${HIDDEN}`)
    .replace(BY_HEADER, `$1${HIDDEN}`)
    .replace(BY_FLAG, `$1${HIDDEN}`)
    .replace(BY_NAME, `$1${HIDDEN}`)
}
