import { type Sheep, register } from './sheep.ts'

/** The animals that the examples of the pack name, with the values that its contract documents. */
export function addSamples(flock: Sheep[]): void {
  const katahdins = flock.filter(({ breedId }) => breedId === 640)
  const ram = katahdins.find(({ male, born }) => male && born.getUTCFullYear() <= 2017)
  const ewe = katahdins.find(({ male, born }) => !male && born.getUTCFullYear() <= 2017)
  const sample = register(
    flock,
    aKatahdin('6401492020FLE249', '2020-02-05', false, {
      sire: ram,
      dam: ewe,
      usIndex: 102.23,
      srcIndex: 117.63,
      traits: {
        BWT: { value: 0.246, accuracy: 0.74 },
        WWT: { value: 3.051, accuracy: 0.71 },
        PWWT: { value: 4.644, accuracy: 0.73 },
        YWT: { value: 3.574, accuracy: 0.63 },
        WFEC: { value: -29.26, accuracy: 0 },
        PFEC: { value: -34.23, accuracy: 0 },
        NLB: { value: 0.119, accuracy: 0.57 },
        NLW: { value: 0.097, accuracy: 0.52 },
      },
    }),
  )
  for (const [id, born, male] of [
    ['6401492022FLE059', '2022-02-11', false],
    ['6401492022FLE380', '2022-02-11', true],
    ['6401492023FLE014', '2023-01-30', false],
    ['6401492023FLE015', '2023-01-30', true],
    ['6401492024FLE101', '2024-02-19', false],
    ['6401492024FLE102', '2024-02-19', false],
  ] as const) {
    register(flock, aKatahdin(id, born, male, { sire: ram, dam: sample }))
  }
  const sire = register(flock, aKatahdin('6400462020VPI007', '2020-01-20', true, { sire: ram }))
  const dam = register(flock, aKatahdin('6402382022NCS087', '2022-02-02', false, { dam: ewe }))
  register(flock, aKatahdin('6402382024NCS310', '2024-02-14', true, { sire, dam }))
}

function aKatahdin(lpnId: string, born: string, male: boolean, more: Partial<Sheep>): Sheep {
  return {
    lpnId,
    breedId: 640,
    farm: 7,
    male,
    born: new Date(born),
    status: 'CURRENT',
    sire: undefined,
    dam: undefined,
    progeny: [],
    traits: { BWT: { value: 0.2, accuracy: 0.6 }, WWT: { value: 2.5, accuracy: 0.55 } },
    usIndex: 101.5,
    srcIndex: 112.4,
    ...more,
  }
}
