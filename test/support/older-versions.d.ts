/** Tests use older versions by the types of the newest. */
declare module 'express4' {
  import express from 'express'

  export default express
}

declare module 'express416' {
  import express from 'express'

  export default express
}

declare module 'nodemailer6' {
  import nodemailer from 'nodemailer'

  export default nodemailer
}

declare module 'passport04' {
  import passport from 'passport'

  export default passport
}
