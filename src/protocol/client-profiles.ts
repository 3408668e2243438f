import type { JsonObject } from '../base/json/json.ts'

/**
 * What a client does at its defaults, as its package of this version says and a run with a scripted
 * model has shown. A fact that nobody has seen is left out.
 */
export interface ClientFacts {
  readonly version: string
  /**
   * What models are shown of tools at first: whole definitions, or only names, each with so many
   * characters of its description, until they search.
   */
  readonly loads: 'definitions' | { readonly descriptionChars: number }
  /** The most characters of a description, and of the instructions of a server; whole without it. */
  readonly maxTextChars?: number
  /** The most characters of a tool's name, with what the client puts in front of it. */
  readonly maxNameChars?: number
  /** The newest protocol that it speaks on stdio. */
  readonly protocol: string
  /** How its person can be asked; not at all if this is empty. */
  readonly asks: readonly ('form' | 'url')[]
  /** How much of a result models are shown. */
  readonly keeps?: { readonly tokens?: number; readonly chars?: number }
}

export interface ClientProfile {
  /** The name by which rules know its agents. */
  readonly agent: string
  /** Its name in the handshake, in lower case. */
  readonly pattern: RegExp
  /** What an entry says so that models see the tools of its server at once. */
  readonly alwaysLoad?: JsonObject
  /** Whether it reads what tools say about themselves in `_meta`, under keys with `anthropic/`. */
  readonly readsMarks?: true
  readonly facts?: ClientFacts
}

/** The clients that we know something about, in the order in which their patterns are tried. */
export const CLIENT_PROFILES = [
  {
    agent: 'claude-code',
    pattern: /^claude-code\b/,
    alwaysLoad: { alwaysLoad: true },
    readsMarks: true,
    facts: {
      version: '2.1.327',
      loads: { descriptionChars: 0 },
      maxTextChars: 4096,
      protocol: '2026-07-28',
      asks: ['form', 'url'],
      keeps: { tokens: 25_000, chars: 100_000 },
    },
  },
  { agent: 'claude-desktop', pattern: /^claude(?:-ai|-desktop)?$/ },
  {
    agent: 'codex',
    pattern: /^codex\b/,
    facts: {
      version: '0.169.0',
      loads: 'definitions',
      protocol: '2025-06-18',
      asks: ['form', 'url'],
      keeps: { chars: 12_000 },
    },
  },
  {
    agent: 'gemini',
    pattern: /^gemini(?:-cli)?\b/,
    facts: {
      version: '0.61.0',
      loads: 'definitions',
      maxNameChars: 64,
      protocol: '2025-06-18',
      asks: [],
      keeps: { chars: 40_000 },
    },
  },
  {
    agent: 'qwen-code',
    pattern: /^qwen\b/,
    alwaysLoad: { alwaysLoadTools: true },
    facts: {
      version: '0.24.4',
      loads: { descriptionChars: 150 },
      protocol: '2025-11-25',
      asks: [],
      keeps: { chars: 25_000 },
    },
  },
  { agent: 'cursor', pattern: /^cursor\b/ },
  { agent: 'vscode', pattern: /^(?:visual-studio-code|vscode)\b/ },
  { agent: 'windsurf', pattern: /^windsurf\b/ },
  { agent: 'zed', pattern: /^zed\b/ },
  {
    agent: 'opencode',
    pattern: /^opencode\b/,
    facts: { version: '1.18.33', loads: 'definitions', protocol: '2025-11-25', asks: [] },
  },
  {
    agent: 'kimi-code',
    pattern: /^kimi-code\b/,
    facts: {
      version: '2.1.0',
      loads: 'definitions',
      maxNameChars: 64,
      protocol: '2025-11-25',
      asks: [],
      keeps: { chars: 50_000 },
    },
  },
  // Its package is packed, so that only its documentation says this.
  { agent: 'copilot', pattern: /^copilot$/, alwaysLoad: { deferTools: 'never' } },
] as const satisfies readonly ClientProfile[]

/** Finds a client by its name in the handshake. */
export function profileOfClient(name: unknown): ClientProfile | undefined {
  if (typeof name !== 'string') return undefined
  const plain = name.toLowerCase()
  return CLIENT_PROFILES.find(({ pattern }) => pattern.test(plain))
}

/** Finds a client by the name of its agents. */
export function profileOfAgent(agent: string): ClientProfile | undefined {
  return CLIENT_PROFILES.find((profile) => profile.agent === agent)
}
