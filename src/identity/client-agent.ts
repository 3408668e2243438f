/** The names of clients in the handshake, and the names people use for them. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/^claude-code\b/, 'claude-code'],
  [/^claude(?:-ai|-desktop)?$/, 'claude-desktop'],
  [/^codex\b/, 'codex'],
  [/^gemini(?:-cli)?\b/, 'gemini'],
  [/^qwen\b/, 'qwen-code'],
  [/^cursor\b/, 'cursor'],
  [/^(?:visual-studio-code|vscode)\b/, 'vscode'],
  [/^windsurf\b/, 'windsurf'],
  [/^zed\b/, 'zed'],
  [/^opencode\b/, 'opencode'],
]
const MAX_LENGTH = 40

/** Returns an agent id for a client without credential and agent name, from its client name. */
export function agentOfClient(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const plain = name
    .slice(0, 200)
    .toLowerCase()
    // Proxies such as mcp-remote append their own name to the client's.
    .replace(/ \(.*$/, '')
    .replaceAll(/[^a-z\d._-]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^[-._]+|[-._]+$/g, '')
  if (plain === '') return undefined
  return KNOWN.find(([pattern]) => pattern.test(plain))?.[1] ?? plain
}
