/** How clients name themselves in the handshake, where that is not what people call them. */
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
const LONGEST = 40

/** The agent id of a client that shows no credential and names no agent: after the name it gives itself. */
export function agentOfClient(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const plain = name
    .slice(0, 200)
    .toLowerCase()
    // mcp-remote and its like add what they are to the name of the client they speak for.
    .replace(/ \(.*$/, '')
    .replaceAll(/[^a-z\d._-]+/g, '-')
    .slice(0, LONGEST)
    .replaceAll(/^[-._]+|[-._]+$/g, '')
  if (plain === '') return undefined
  return KNOWN.find(([pattern]) => pattern.test(plain))?.[1] ?? plain
}
