import { expect, it } from 'vitest'
import { readOtlpSettings } from './otlp-settings.ts'
import { wantsOtlp } from './wants-otlp.ts'

it('derives the address of every signal from one endpoint, and takes special ones as they are', () => {
  const { traces, metrics, logs } = readOtlpSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces/custom',
    OTEL_LOGS_EXPORTER: 'none',
  })
  expect([traces?.url, metrics?.url, logs]).toEqual([
    'http://traces/custom',
    'http://collector:4318/v1/metrics',
    undefined,
  ])
})

it('prefers the variables of OpenTelemetry to the settings', () => {
  const defaults = { endpoint: 'http://settings', headers: { a: '1', b: '2' } }
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'b=two%20words, c=3=3' }
  expect(readOtlpSettings(env, defaults).traces).toMatchObject({
    url: 'http://settings/v1/traces',
    headers: { a: '1', b: 'two words', c: '3=3' },
  })
  const named = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env' }
  expect(readOtlpSettings(named, defaults).traces?.url).toBe('http://env/v1/traces')
})

it('names itself as it is told', () => {
  const env = {
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,team=red%20one',
    OTEL_SERVICE_NAME: 'gate',
  }
  expect(readOtlpSettings(env).resource).toMatchObject({ 'service.name': 'gate', team: 'red one' })
  expect(readOtlpSettings({}).resource['service.name']).toBe('portolan')
})

it('says what it cannot do', () => {
  const env = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'jaeger_remote' }
  expect(readOtlpSettings(env).warnings).toEqual([
    expect.stringContaining('jaeger_remote'),
    expect.stringContaining('grpc'),
  ])
})

it('samples by the word of the parent, or by the id', () => {
  const half = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' }
  const { sampler } = readOtlpSettings(half)
  const [low, high] = [`${'f'.repeat(24)}7fffffff`, `${'0'.repeat(24)}80000000`]
  expect([sampler(low, undefined), sampler(high, undefined)]).toEqual([true, false])
  expect([sampler(low, false), sampler(high, true)]).toEqual([false, true])
})

it('is wanted only where a collector is named, and can be switched off', () => {
  expect(wantsOtlp({})).toBe(false)
  expect(wantsOtlp({}, { endpoint: 'http://here' })).toBe(true)
  expect(wantsOtlp({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://here' })).toBe(true)
  expect(wantsOtlp({ OTEL_SDK_DISABLED: 'TRUE' }, { endpoint: 'http://here' })).toBe(false)
})

it('an interval longer than a timer can hold does not send all the time', () => {
  const forever = { OTEL_METRIC_EXPORT_INTERVAL: '9999999999', OTEL_BSP_SCHEDULE_DELAY: '1e12' }
  const { metricIntervalMs, spanDelayMs } = readOtlpSettings(forever)
  expect([metricIntervalMs, spanDelayMs]).toEqual([2 ** 31 - 1, 2 ** 31 - 1])
})
