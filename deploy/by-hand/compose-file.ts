import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export const DEPLOY = join(import.meta.dirname, '..')

/** What we use of a service of a compose file. */
export interface Service {
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly volumes?: readonly string[]
}

export type Variables = Readonly<Record<string, string>>

/** Reads a compose file as `docker compose` does, which replaces variables before anything else. */
export function readComposeFile(name: string, variables: Variables): Record<string, Service> {
  const file: unknown = parse(readFileSync(join(DEPLOY, name), 'utf8'), { merge: true })
  const text = JSON.stringify(file, (_, value: unknown) =>
    typeof value === 'string' ? interpolate(value, variables) : value,
  )
  return JSON.parse(text).services
}

function interpolate(text: string, variables: Variables): string {
  return text.replaceAll(
    /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (found, name?: string, sign?: string, rest = '') => {
      if (name === undefined) return found.slice(1)
      const value = variables[name]
      if (value !== undefined && value !== '') return value
      if (sign === '?') throw new Error(`required variable ${name} is missing a value: ${rest}`)
      return rest
    },
  )
}

/** The variables of the image, which its services have too. */
export function readImageVariables(): Record<string, string> {
  const dockerfile = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')
  const [, block = ''] = /^ENV ((?:.*\\\n)*.*)$/m.exec(dockerfile) ?? []
  return Object.fromEntries(
    [...block.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  )
}

/** The program and the arguments of the image's health check. */
export function readHealthCheck(): string[] {
  const dockerfile = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')
  const [, command = '[]'] = /^HEALTHCHECK .*\\\n {2}CMD (\[.*\])$/m.exec(dockerfile) ?? []
  return JSON.parse(command)
}

/** The first command that a file of this folder documents in its comment, in which it starts with `start`. */
export function readDocumentedCommand(name: string, start: string): string {
  const comment = readFileSync(join(DEPLOY, name), 'utf8')
  const line = comment.split('\n').find((each) => each.startsWith(`#   ${start}`))
  if (line === undefined) throw new Error(`${name} documents no command that starts with ${start}`)
  return line.slice(4)
}
