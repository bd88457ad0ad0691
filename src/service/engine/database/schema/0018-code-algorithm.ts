/** Adds the hash with which a generator makes its codes. All generators of earlier versions use SHA-1. */
export const codeAlgorithm: readonly string[] = [
  "alter table code_generator add column algorithm text default 'SHA1' not null",
]
