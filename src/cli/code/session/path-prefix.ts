import { wrongUsage } from '../wrong-usage.ts'
/** `PORTOLAN_CODE_PATH_PREFIX=/here:/there`: the path of one folder here and on the server. */
export interface PathPrefix {
  toServer(path: string): string
  /** Translates every path in an answer to this machine. */
  fromServer(answer: unknown): unknown
}

const SAME: PathPrefix = { toServer: (path) => path, fromServer: (answer) => answer }

export function parsePathPrefix(text: string | undefined): PathPrefix {
  if (text === undefined || text === '') return SAME
  const [here = '', there = '', ...rest] = text.split(':')
  if (!here.startsWith('/') || !there.startsWith('/') || rest.length > 0)
    throw wrongUsage(
      `PORTOLAN_CODE_PATH_PREFIX must be /path/here:/path/on/the/server, not '${text}'`,
    )
  const fromServer = (answer: unknown): unknown => {
    if (typeof answer === 'string') return replaced(answer, there, here)
    if (Array.isArray(answer)) return answer.map(fromServer)
    if (typeof answer !== 'object' || answer === null) return answer
    return Object.fromEntries(
      Object.entries(answer).map(([key, value]) => [key, fromServer(value)]),
    )
  }
  return { toServer: (path) => replaced(path, here, there), fromServer }
}

function replaced(path: string, from: string, to: string): string {
  const isInside = path === from || path.startsWith(from.endsWith('/') ? from : `${from}/`)
  return isInside ? to + path.slice(from.length) : path
}
