interface ImportMetaEnv {
  /** The version of the package from which this was built. */
  readonly VERSION: string
}

interface ImportMeta {
  readonly env: ImportMetaEnv
}
