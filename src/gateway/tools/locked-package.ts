import { z } from 'zod'

export const lockedPackageSchema = z.object({
  name: z.string().describe('The npm package.'),
  version: z.string().describe('Its exact version.'),
  integrity: z.string().optional().describe('Its integrity in the registry, such as `sha512-…`.'),
  dependencies: z
    .record(z.string(), z.string())
    .optional()
    .describe('What is installed with it, by path: version, integrity, and for what platforms.'),
})

/** The npm package that a server runs, with everything that is installed with it. */
export type LockedPackage = z.output<typeof lockedPackageSchema>
