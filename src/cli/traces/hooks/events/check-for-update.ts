import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const DEADLINE_MS = 4_000

/** A sentence when there is a newer version where npm would take it from; nothing when npm cannot tell. */
export async function checkForUpdate(
  current: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const asked = promisify(execFile)('npm', ['view', 'portolan', 'version'], {
    env: { ...env, npm_config_fetch_retries: '0', npm_config_update_notifier: 'false' },
    timeout: DEADLINE_MS,
  })
  const version = await asked.then(
    ({ stdout }) => stdout.trim(),
    () => current,
  )
  return isNewer(version, current)
    ? `Portolan ${version} is out; this is ${current}. Update: npm install -g portolan`
    : undefined
}

function isNewer(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0
}
