// Where `make live` was run, `make site` puts the runtime into this folder, and live/page/start.js in the place of this file.
