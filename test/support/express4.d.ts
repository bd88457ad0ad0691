/** Express 4 is used as Express 5 is, where it is used in tests. */
declare module 'express4' {
  import express from 'express'

  export default express
}
