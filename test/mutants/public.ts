import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'opening exactly the paths that public lists',
    file: 'src/express/request/public-path.ts',
    find: 'return path === entry',
    replace: 'return path.toLowerCase().startsWith(entry)',
    test: 'express/public-path.test.ts',
    title: 'opens exactly the paths it lists to people who have not passed',
  },
  {
    defense: 'opening no path that could be read as another',
    file: 'src/express/request/public-path.ts',
    find: ' && !isAmbiguous(path)',
    replace: '',
    test: 'express/public-path.test.ts',
    title: 'opens all below a path that ends in /*, and nothing that could be read as another path',
  },
]
