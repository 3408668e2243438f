import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const repository = z.object({
  name: z.string(),
  language: z.string(),
  benchmark_root: z.string(),
})

const target = z.union([
  z.string().transform((path) => ({ path })),
  z
    .object({
      path: z.string(),
      start_line: z.number().optional(),
      end_line: z.number().optional(),
    })
    .transform(({ path, start_line, end_line }) => ({ path, start: start_line, end: end_line })),
])

const annotation = z.object({
  query: z.string(),
  relevant: z.array(target),
  secondary: z.array(target).default([]),
})

export type Repository = z.infer<typeof repository>

export interface Target {
  readonly path: string
  readonly start?: number | undefined
  readonly end?: number | undefined
}

export interface Task {
  readonly query: string
  readonly targets: readonly Target[]
}

/** The public benchmark's data: `repos.json` and a folder of annotations. */
export function loadRepositories(data: string): Repository[] {
  return z.array(repository).parse(JSON.parse(readFileSync(join(data, 'repos.json'), 'utf8')))
}

export function loadTasks(data: string, name: string): Task[] {
  const text = readFileSync(join(data, 'annotations', `${name}.json`), 'utf8')
  return z
    .array(annotation)
    .parse(JSON.parse(text))
    .map(({ query, relevant, secondary }) => ({ query, targets: [...relevant, ...secondary] }))
}
