import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { readLines } from './run-log.ts'

/** Runs cheap tests first, so that expensive ones have fewer mutants left; skips done files. */
export default class CheapestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const costs = new Map<string, number>()
    const done = new Set<string>()
    for (const line of readLines(process.env['MUTANTS_LOG'] ?? ''))
      if ('covered' in line) costs.set(line.file, line.ms)
      else if ('done' in line || 'isRed' in line) done.add(line.file)
    const costOf = ({ moduleId }: TestSpecification) => costs.get(moduleId) ?? 0
    return files
      .filter(({ moduleId }) => !done.has(moduleId))
      .toSorted((one, other) => costOf(one) - costOf(other))
  }
}
