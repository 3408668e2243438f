import { createHash } from 'node:crypto'
import type { Operation } from '../spec/operation.ts'

/** The longest name clients accept; a server's prefix must fit within it too. */
export const MAX_NAME = 64

/** Gives every operation a readable name that is legal, unique and the same on every import. */
export class ToolNames {
  readonly #limit: number
  readonly #taken = new Set<string>()

  constructor(limit = MAX_NAME) {
    this.#limit = limit
  }

  /** Names given by hand are reserved first, so that no generated one takes them. */
  reserve(name: string): void {
    this.#taken.add(name)
  }

  name(operation: Operation): string {
    const wanted = legal(operation.id ?? fromPath(operation))
    const fitting = fit(wanted, this.#limit, operation)
    const name = this.#taken.has(fitting) ? withHash(fitting, this.#limit, operation) : fitting
    this.#taken.add(name)
    return name
  }
}

function legal(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '')
  return clean || 'operation'
}

/** `GET /pets/{petId}/toys` reads `get_pets_by_petId_toys`. */
function fromPath({ method, path }: Operation): string {
  const words = path
    .split('/')
    .filter(Boolean)
    .map((part) => part.replaceAll(/\{([^}]+)\}/g, 'by_$1'))
  return [method, ...words].join('_')
}

function fit(name: string, limit: number, operation: Operation): string {
  return name.length <= limit ? name : withHash(name, limit, operation)
}

/** The tail says what a long name is about as often as its head, so both ends stay. */
function withHash(name: string, limit: number, { method, path }: Operation): string {
  const hash = createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 5)
  const room = limit - hash.length - 1
  if (name.length <= room) return `${name}_${hash}`
  const tail = Math.floor(room / 3)
  const head = room - tail - 1
  return `${name.slice(0, head)}_${name.slice(-tail)}_${hash}`.replaceAll(/_{2,}/g, '_')
}

/** Returns the name, with a suffix if it is taken. */
export function freeName(wanted: string, suffix: string, taken: ReadonlySet<string>): string {
  let name = wanted
  for (let n = 1; taken.has(name); n++) name = `${wanted}_${suffix}${n > 1 ? n : ''}`
  return name
}
