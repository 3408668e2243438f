import { basename } from 'node:path'
import type { JsonObject } from '../../base/json/json.ts'
import { hide } from '../../base/secrets/secrets.ts'

/** Returns only the program or the host, as arguments and paths may hold secrets. */
export function describeTarget({ command, args, url }: JsonObject): string {
  if (typeof url === 'string') return URL.canParse(url) ? new URL(url).host : 'a URL'
  const program = basename(String(command))
  const isRunner = /^(npx|uvx|bunx|pnpm|docker|node|python3?)(\.\w+)?$/.test(program)
  const words = Array.isArray(args) ? args.map(String) : []
  const what = isRunner
    ? words.find((word) => /^[@\w./\\-]+$/.test(word) && !word.startsWith('-'))
    : ''
  return hide([program, what && basename(what)].filter(Boolean).join(' '))
}
