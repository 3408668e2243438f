import { type Command, InvalidArgumentError } from 'commander'
import { isLoopback } from '../../base/net/net.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Era } from './load-client.ts'
import type { LoadReport } from './run-load.ts'

interface LoadFlags {
  readonly duration: number
  readonly concurrency: number
  readonly era: Era | 'both'
  readonly tool?: string
  readonly args?: JsonObject
  readonly timeout: number
  readonly json?: true
  readonly yesIOwnIt?: true
}

const MAX_SECONDS = 30
const MAX_CONCURRENCY = 64

export function registerLoadtest(program: Command): void {
  program
    .command('loadtest')
    .description('test a running gateway under load: answers per second, latencies, errors by code')
    .argument('<url>', 'the MCP endpoint, such as http://127.0.0.1:7411/mcp')
    .option(
      '-d, --duration <seconds>',
      `at most ${MAX_SECONDS}, unless --yes-i-own-it`,
      toNumber,
      10,
    )
    .option(
      '-c, --concurrency <count>',
      `at most ${MAX_CONCURRENCY}, unless --yes-i-own-it`,
      toNumber,
      8,
    )
    .option('--era <name>', 'legacy, modern or both', toEra, 'both')
    .option('--tool <name>', 'tool to call; by default tools/list is requested')
    .option('--args <json>', 'arguments of the tool', toObject)
    .option('--timeout <seconds>', 'how long one answer may take', toNumber, 10)
    .option('--json', 'print the report as JSON')
    .option(
      '--yes-i-own-it',
      'the gateway is mine: allow other addresses than loopback, and higher limits',
    )
    .addHelpText('after', '\nThe key of the caller is read from PORTOLAN_KEY.')
    .action(async (address: string, flags: LoadFlags) => {
      const url = toUrl(address)
      checkBounds(url, flags)
      const { runLoad } = await import('./run-load.ts')
      const key = process.env['PORTOLAN_KEY']
      const report = await runLoad({
        url,
        eras: flags.era === 'both' ? ['legacy', 'modern'] : [flags.era],
        work: flags.tool
          ? { method: 'tools/call', params: { name: flags.tool, arguments: flags.args ?? {} } }
          : { method: 'tools/list', params: {} },
        concurrency: flags.concurrency,
        durationMs: flags.duration * 1000,
        timeoutMs: flags.timeout * 1000,
        headers: key ? { authorization: `Bearer ${key}` } : {},
      })
      process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : toText(report))
      if (report.rps === 0) process.exitCode = 1
    })
}

function checkBounds(url: URL, { duration, concurrency, yesIOwnIt }: LoadFlags): void {
  if (yesIOwnIt) return
  const hint = 'Say --yes-i-own-it if this gateway is yours to load.'
  const refuse = (message: string) => {
    throw new GatewayError('INVALID_PARAMS', message, { hint })
  }
  if (!isLoopback(url.hostname.replaceAll(/[[\]]/g, '')))
    refuse(`${url.hostname} is not this machine`)
  if (duration > MAX_SECONDS) refuse(`A test takes at most ${MAX_SECONDS} seconds`)
  if (concurrency > MAX_CONCURRENCY) refuse(`At most ${MAX_CONCURRENCY} requests at once`)
}

function toText(report: LoadReport): string {
  const { url, eras, method, concurrency, seconds, requests, rps, errors } = report
  const failed = Object.entries(errors).map(([code, count]) => `  ${code}: ${count}\n`)
  return (
    `${url}  ${method}, ${eras.join(' and ')}, ${concurrency} at once for ${seconds} s\n` +
    `${requests} requests, ${rps} answers a second\n` +
    `p50 ${report.p50_ms} ms, p95 ${report.p95_ms} ms, p99 ${report.p99_ms} ms\n` +
    (failed.length === 0 ? 'no errors\n' : `errors:\n${failed.join('')}`)
  )
}

function toUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new GatewayError('INVALID_PARAMS', `"${text}" is no http(s) URL`, {
    hint: 'Give the MCP endpoint, such as http://127.0.0.1:7411/mcp.',
  })
}

function toNumber(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('It must be a number above 0.')
}

function toEra(text: string): LoadFlags['era'] {
  if (text === 'legacy' || text === 'modern' || text === 'both') return text
  throw new InvalidArgumentError('It must be legacy, modern or both.')
}

function toObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('It must be a JSON object.')
}
