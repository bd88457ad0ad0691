import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    defense: 'opening exactly the paths that public lists',
    file: 'src/express/request/public-path.ts',
    find: 'return path === entry',
    replace: 'return path.toLowerCase().startsWith(entry)',
    test: 'express/public-path.test.ts',
    title: 'the option public opens exactly the listed paths to unverified users',
  },
  {
    defense: 'opening no path that could be read as another',
    file: 'src/express/request/public-path.ts',
    find: ' && !isAmbiguous(path)',
    replace: '',
    test: 'express/public-path.test.ts',
    title: 'the option public opens everything below a path that ends in /*, and no ambiguous path',
  },
]
