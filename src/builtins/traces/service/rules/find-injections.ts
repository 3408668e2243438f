/** Signs that a text tries to instruct the agent that reads it, instead of informing it. */
const PATTERNS: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  {
    name: 'overrides instructions',
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|system|developer)\b.{0,30}\b(?:instructions?|prompts?|rules?|messages?|guidelines?|context)\b/is,
  },
  {
    name: 'assumes a role',
    pattern:
      /\byou (?:are|will be) now\b|\bact as (?:an? )?(?:unrestricted|jailbroken|root|admin)|\bnew (?:system )?(?:instructions?|persona)\s*:/i,
  },
  {
    name: 'imitates a message boundary',
    pattern:
      /<\/?(?:system|assistant|user|tool_result|function_results|instructions?)\b[^>]*>|\[\/?INST\]|<\|(?:im_start|im_end|endoftext|system|user|assistant)\|>|^(?:system|assistant|human)\s*:/im,
  },
  {
    name: 'asks for secrecy',
    pattern:
      /\b(?:do not|don't|never|without)\b.{0,20}\b(?:tell|inform|mention|telling|informing|notify|asking|reveal)\b.{0,30}\b(?:user|human|operator|developer|anyone)\b/i,
  },
  {
    name: 'asks for secrets',
    pattern:
      /\b(?:send|post|upload|exfiltrate|forward|leak|print|reveal|paste)\b.{0,60}\b(?:api keys?|credentials?|secrets?|tokens?|passwords?|private keys?|\.env|environment variables?|system prompt)\b/i,
  },
  {
    name: 'runs a downloaded script',
    pattern:
      /\b(?:curl|wget|iwr|irm)\b[^\n|;]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\|\s*(?:iex|python3?|node|perl)\b/i,
  },
  {
    name: 'destroys data',
    pattern:
      /\brm\s+-(?:[a-z]*r[a-z]*f|[a-z]*f[a-z]*r)[a-z]*\s+(?:\/|~|\$HOME)(?:\s|$)|:\(\)\s*\{\s*:\|:/im,
  },
  {
    name: 'hides text',
    pattern:
      /[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]|(?:[\u200b-\u200d\u2060][^\s\u200b-\u200d\u2060]{0,20}){4}/u,
  },
  {
    name: 'loads a remote image',
    pattern: /!\[[^\]]*\]\(\s*https?:\/\/[^)\s]*[?&][^)\s]*\)|<img\b[^>]+src\s*=/i,
  },
  {
    name: 'carries a script',
    pattern: /\bjavascript:|<script\b|<iframe\b|\bon(?:error|load)\s*=/i,
  },
]

/** Returns the names of the patterns that look like prompt injection; traces are untrusted text. */
export function findInjections(...texts: readonly string[]): string[] {
  return PATTERNS.filter(({ pattern }) => texts.some((text) => pattern.test(text))).map(
    ({ name }) => name,
  )
}
