import { join } from 'node:path'

/** A stdio server that misbehaves in one way, for `.mcp.json`. */
export function hostile(manner = 'none', env: Readonly<Record<string, string>> = {}) {
  return {
    command: process.execPath,
    args: [join(import.meta.dirname, 'hostile-server.mjs'), manner],
    ...(Object.keys(env).length > 0 && { env }),
  }
}

/** How `bench/attack/hostile-server.mjs` can misbehave with every call. */
export const MANNERS = [
  'wrong-id',
  'twice',
  'garbage',
  'deep',
  'many-values',
  'proto',
  'long-line',
  'flood',
  'asks',
  'silent',
  'dies',
  'closes-stdout',
  'no-result',
  'both',
  'changes-tools',
  'never-greets',
] as const
