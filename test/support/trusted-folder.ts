import { onTestFinished } from 'vitest'
import { recordTrust } from '../../src/config/trust/record-trust.ts'
import { loadConfig } from '../../src/config/load.ts'
import { watchConfig } from '../../src/config/reload/watch.ts'
import { tempFolder } from './temp-folder.ts'

/** A trusted folder and a gateway that runs in it. */
export function aTrustedFolder(files: Readonly<Record<string, object>>) {
  const [cwd, home] = [tempFolder(), tempFolder()]
  const place = { cwd: cwd.path, env: { HOME: home.path } }
  const trust = (...names: string[]) =>
    recordTrust(
      place,
      names.map((name) => ({ path: cwd.file(name), text: cwd.read(name) })),
      'trusted',
    )
  for (const [name, content] of Object.entries(files)) cwd.write(name, content)
  trust(...Object.keys(files))
  const watcher = watchConfig(place, { onReload: () => undefined })
  onTestFinished(() => watcher.close())
  /** The configuration after a change: of the gateway that runs, and of one that starts now. */
  const both = async () => ({ running: await watcher.reload(), started: loadConfig(place) })
  return { cwd, home, place, trust, watcher, both }
}
