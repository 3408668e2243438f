import type { Environment } from '../../base/environment.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { variableFor } from '../../base/setting-table.ts'
import { valueAt } from '../issues.ts'

/** Settings of 0.1 that are constants now, and what to do instead, where there is something. */
const RETIRED: Readonly<Record<string, string>> = {
  'listen.sessionIdleMs': '',
  'limits.replicas': '',
  'limits.concurrencyPerServer': 'set "max_concurrency" of a server in .mcp.json',
  'limits.agentShare': '',
  'deadlines.listMs': '',
  'budgets.openapiMaxTokens': 'set "<server>.*" under budgets.tools',
  'budgets.encoding': '',
  'budgets.handleTtlMs': '',
  'budgets.handleMaxBytes': '',
  'cache.maxEntries': '',
  'cache.maxBytes': '',
  'breaker.openMs': '',
  'breaker.retries': '',
  'scripts.atOnce': '',
  'scripts.wallBytes': 'it follows from scripts.heapBytes',
  'scripts.waitingBytes': '',
  'scripts.taskAfterMs': 'set tasks.offerAfterMs',
  'scripts.storedBytes': '',
  'scripts.parallel': '',
  'scripts.sourceChars': '',
  'scripts.argumentChars': '',
  'scripts.answerChars': '',
  'scripts.resultChars': '',
  'scripts.logChars': '',
  'upstreams.maxConnections': 'set "max_connections" of a server in .mcp.json',
  'upstreams.restartBackoffMs': '',
  'database.keyGraceMs': '',
  'database.keptMaxBytes': '',
  'code.editor': '',
  'code.logFile': 'the audit record has every call',
  'traces.establishedAfterHours': '',
  'traces.flagsToHide': '',
  'traces.minRelevance': '',
  'traces.mcpRateLimitPerMinute': '',
  'traces.savingsPricePerMtok': '',
  'traces.countryHeader': '',
}

/** Leaves out what is no longer a setting, with a warning: it must not stop the gateway. */
export function withoutRetired(
  content: JsonObject,
  file: string,
): { readonly value: JsonObject; readonly warnings: readonly string[] } {
  const found = Object.keys(RETIRED).filter(
    (path) => valueAt(content, path.split('.')) !== undefined,
  )
  return {
    value: found.reduce((value, path) => without(value, path.split('.')), content),
    warnings: found.map((path) => `${file}: ${retired(path, path)}; remove the line`),
  }
}

/** Returns a warning for each variable that sets what is no longer a setting. */
export function retiredVariables(env: Environment): string[] {
  return Object.keys(RETIRED).flatMap((path) => {
    const variable = variableFor(path.split('.'))
    const isSet = (name: string) => name === variable || name.startsWith(`${variable}_M`)
    return Object.keys(env)
      .filter((name) => isSet(name) && env[name] !== '')
      .map((name) => `environment: ${retired(name, path)}; unset it`)
  })
}

function retired(name: string, path: string): string {
  const instead = RETIRED[path] ? ` (${RETIRED[path]})` : ''
  return `${name} is no longer a setting since 0.2${instead}`
}

function without(content: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const { [key]: child, ...others } = content
  return isObject(child) && rest.length > 0 ? { ...others, [key]: without(child, rest) } : others
}
