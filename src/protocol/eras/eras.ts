import type { Era, EraName } from './era.ts'
import { legacy } from './legacy/legacy.ts'
import { modern } from './modern/modern.ts'

export const ERAS: Readonly<Record<EraName, Era>> = { legacy, modern }
