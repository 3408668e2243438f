import { hostname } from 'node:os'

/** Facility 13 of RFC 5424: log audit. */
const FACILITY = 13
const SEVERITY: Readonly<Record<string, number>> = { ALLOW: 6, DENY: 5, ERROR: 4, TIMEOUT: 4 }
const HOST =
  hostname()
    .replaceAll(/[^\u0021-\u007E]/g, '')
    .slice(0, 255) || '-'

/** One audit line as a message of RFC 5424; the line itself is its text. */
export function toSyslogMessage(line: string): string {
  const { timestamp, decision } = parse(line)
  const priority = FACILITY * 8 + (SEVERITY[decision] ?? 6)
  return `<${priority}>1 ${timestamp} ${HOST} portolan ${process.pid} audit - ${line}`
}

function parse(line: string): { timestamp: string; decision: string } {
  try {
    const { timestamp, decision }: { timestamp?: string; decision?: string } = JSON.parse(line)
    return { timestamp: timestamp ?? '-', decision: decision ?? '' }
  } catch {
    return { timestamp: '-', decision: '' }
  }
}
