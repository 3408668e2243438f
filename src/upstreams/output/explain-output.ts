import { isSecretName } from '../../base/secrets/secrets.ts'
import { shellWord } from '../../base/text/shell-word.ts'

const MAX_SHOWN = 8
const MAX_SHOWN_LENGTH = 400

/** Stack frames, pointers into source lines, and what Node writes below an uncaught error. */
const NOISE = /^\s*(?:at\s.+|\^+|\.\.\. \d+ more.*|node:internal\S*|Node\.js v\S+|\}|)\s*$/

/** `Error: …`, `ZodError: […`, `Uncaught TypeError: …`: the line that says what went wrong. */
const HEADLINE = /^\s{0,8}(?:Uncaught |\w+: )?(?:[A-Z]\w{0,60})?(?:Error|Exception)\b.{0,80}?:/

/**
 * Returns the lines of a server's output that are worth reading: the last few, preceded by the one
 * that says what went wrong if it is further up.
 */
export function worthReading(lines: readonly string[]): string[] {
  const said = lines.filter((line) => !NOISE.test(line))
  const last = said.slice(-MAX_SHOWN)
  const headline = last.some(isHeadline) ? undefined : said.findLast(isHeadline)
  const shown = headline === undefined ? last : [headline, ...last.slice(1)]
  return shown.map((line) =>
    line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH)}…` : line,
  )
}

const isHeadline = (line: string) => HEADLINE.test(line)

/** `SENTRY_ACCESS_TOKEN`: capitals with at least one underscore. */
const VARIABLE = /\b[A-Z][A-Z\d]{1,30}(?:_[A-Z\d]{1,30}){1,8}\b/
/** Words of a line that asks for a variable, as opposed to one that only mentions it. */
const ASKS =
  /\b(?:missing|required?|requires|provide[ds]?|pass|please set|must (?:be set|set)|not set|is unset|undefined|not (?:found|defined|configured)|expected|need(?:s|ed)?|set the)\b/i
/** Names in capitals that are codes of errors, not variables. */
const CODES = /^(?:ERR_|E_|MODULE_NOT_FOUND|UNABLE_TO_|SELF_SIGNED_|NODE_)/

type Advice = (match: RegExpExecArray, server: string) => string

/** What well-known messages mean for the person who configured the server. */
const KNOWN: readonly (readonly [RegExp, Advice])[] = [
  [
    /browser is already in use for|user data directory is already in use|SingletonLock/i,
    (_, server) =>
      `Another process uses the browser profile of '${server}'. Set "session": "shared" in its entry, or add "--isolated" to its args.`,
  ],
  [
    /playwright install|Executable doesn't exist at|Chromium distribution '\w+' is not found|Could not find (?:Google )?Chrome/i,
    (_, server) =>
      `'${server}' needs a browser: install Chrome or Chromium, or give it the path of one in its args (--executable-path).`,
  ],
  [
    /Cannot find (?:module|package) '([^']{1,200})'/,
    ([, module], server) => `'${server}' lacks '${module}': install the server again.`,
  ],
  [
    /Could not locate the bindings file|NODE_MODULE_VERSION|invalid ELF header/,
    (_, server) =>
      `'${server}' lacks a part that is compiled for Node.js ${process.version}: install it again, with its install scripts.`,
  ],
  [
    /npm (?:ERR!|error) (?:code )?(?:E404|404\b)/,
    (_, server) => `npm does not know this package: check its name in the args of '${server}'.`,
  ],
  [
    /\b(?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH)\b|getaddrinfo/,
    (_, server) => `'${server}' cannot reach the network: check the connection or the proxy.`,
  ],
  [
    /EADDRINUSE.{0,80}?:(\d{2,5})\b/,
    ([, port], server) =>
      `Port ${port} is taken, perhaps by another '${server}': end that process, or give this one another port.`,
  ],
  [
    /(?:unsupported engine|requires? node(?:\.js)?(?: version)?|node(?:\.js)? (?:version )?(?:>=|v?\d+ or))/i,
    (_, server) =>
      `'${server}' needs another version of Node.js; Portolan runs on ${process.version}.`,
  ],
  [
    /\b401\b|unauthorized|invalid (?:api[ _-]?key|token|credentials)|authentication failed/i,
    (_, server) => `The key of '${server}' was refused: check its value in its env or headers.`,
  ],
  [
    /(?:command not found|: not found)\s*$/,
    (_, server) => `A program that '${server}' starts is not installed.`,
  ],
  [
    /\b(?:listening|running|started|available|ready)\b.{0,60}?(https?:\/\/[^\s"']{1,200})/i,
    ([, url], server) =>
      `'${server}' seems to serve HTTP instead of stdin and stdout: add its flag for stdio to its args (often --stdio), or start it yourself and give "url": "${url}" instead of "command".`,
  ],
]

/** Returns what to do about a failed server that wrote these lines; undefined if none is known. */
export function nextStep(server: string, lines: readonly string[]): string | undefined {
  const variable = missingVariable(lines)
  if (variable !== undefined)
    return isSecretName(variable)
      ? `Give it its key with \`portolan secrets set ${variable} --for ${shellWord(server)}\`.`
      : `Set ${variable} in the "env" of '${server}', or with \`portolan secrets set ${variable} --for ${shellWord(server)}\` if it is secret.`
  for (const [pattern, advise] of KNOWN)
    for (const line of lines) {
      const match = pattern.exec(line)
      if (match) return advise(match, server)
    }
  return undefined
}

function missingVariable(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const name = VARIABLE.exec(line)?.[0]
    if (name !== undefined && !CODES.test(name) && ASKS.test(line)) return name
  }
  return undefined
}
