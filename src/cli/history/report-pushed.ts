import type { PushResult } from '../../replicas/database/push-config.ts'

export function reportPushed({ row, changed, warnings }: PushResult): void {
  for (const warning of warnings) process.stderr.write(`⚠ ${warning}\n`)
  process.stderr.write(
    changed
      ? `Version ${row.version} is in use from now on.\n`
      : `Version ${row.version} says the same already: nothing was pushed.\n`,
  )
}
