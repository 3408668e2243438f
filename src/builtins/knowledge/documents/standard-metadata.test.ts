import { expect, it } from 'vitest'
import { standardMetadata } from './standard-metadata.ts'

it.each([
  ['aiag-vda-fmea-2019.pdf', 'AIAG-VDA FMEA 2019', 'fmea', '2019'],
  ['aiag-fmea-4-2008.pdf', 'AIAG FMEA 4 2008', 'fmea', '2008'],
  ['mil-std-882E.pdf', 'MIL-STD-882E', 'safety', 'E'],
  ['iso-9001-2015.pdf', 'ISO 9001:2015', 'quality', '2015'],
  ['iso-26262.docx', 'ISO 26262', 'safety', null],
  ['ISO 26262-6:2018 Road vehicles', 'ISO 26262-6:2018', 'safety', '2018'],
  ['iec-61508-2010.pdf', 'IEC 61508:2010', 'safety', '2010'],
  ['sae-j1739.pdf', 'SAE J1739', 'fmea', null],
  ['iatf-16949-2016.pdf', 'IATF 16949:2016', 'quality', '2016'],
  ['as-9100d.pdf', 'AS9100D', 'quality', 'D'],
  ['RFC 5321: Simple Mail Transfer Protocol', 'RFC 5321', null, null],
])('knows the standard of %j', (name, standard, domain, version) => {
  expect(standardMetadata(name)).toMatchObject({ standard, domain, version })
})

it('finds none where none is named', () => {
  expect(standardMetadata('Hoist Maintenance Handbook', 'basis-900.md')).toBeUndefined()
})
