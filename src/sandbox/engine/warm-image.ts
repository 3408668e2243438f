import { EvalFlags, QuickJS } from 'quickjs-wasi'
import type { Engine, WarmImage } from '../messages.ts'

/** Makes the memory that every script starts from: restoring it takes 1 ms, making it 30 ms. */
export async function makeWarmImage({
  module,
  prelude: source,
}: Pick<Engine, 'module' | 'prelude'>): Promise<WarmImage> {
  const vm = await QuickJS.create({ wasm: module, timezoneOffset: 0 })
  const evaluated = vm.evalCode(source, 'prelude.js', EvalFlags.TYPE_MODULE)
  vm.executePendingJobs()
  const loaded = await vm.resolvePromise(evaluated)
  if ('error' in loaded) throw new Error('the prelude of the sandbox cannot be loaded')
  const send = vm.newFunction('send', () => vm.undefined)
  const prelude = loaded.value.getProp('default')
  const functions = vm.callFunction(prelude, vm.undefined, send)
  const token = (name: string) => vm.exportHandle(functions.getProp(name))
  const tokens = {
    settle: token('settle'),
    watch: token('watch'),
    input: token('input'),
    seed: token('seed'),
  }
  vm.runGC()
  return { snapshot: vm.snapshot(), tokens }
}
