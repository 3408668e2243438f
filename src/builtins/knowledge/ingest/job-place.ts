import { existsSync } from 'node:fs'
import { hostname } from 'node:os'

/** Jobs that any replica can do, since what they read is on the network. */
export const ANYWHERE = 'knowledge.ingest'
/** Jobs that read files: only machines that have these files can do them. */
export const HERE = `knowledge.ingest.${hostname().replaceAll(/[^\w-]/g, '-')}`

export function kindOf(targets: readonly string[]): string {
  return targets.every(isRemote) ? ANYWHERE : HERE
}

/** A job that was left behind by another machine may name files that are not there. */
export function isReadableHere(targets: readonly string[]): boolean {
  return targets.every((target) => isRemote(target) || existsSync(target))
}

function isRemote(target: string): boolean {
  return /^(https?|git|ssh):\/\//.test(target)
}
