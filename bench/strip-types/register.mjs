/**
 * `node --import ./bench/strip-types/register.mjs bench/layers.ts` runs TypeScript as the build compiles
 * it. tsx also makes every function set its name whenever it is created, which a bench would take for a
 * cost of the gateway (docs/decisions/bundled-build.md).
 */
import { register } from 'node:module'

register('./hooks.mjs', import.meta.url)
