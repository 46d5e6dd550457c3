// Does nothing, but reads its input as a bot would: Joust times it.
"use strict";

const fs = require("fs");
const path = require("path");

function readEveryFile(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) fs.readFileSync(path.join(folder, entry.name), "utf8");
  }
}

function writeNothing(folder) {
  fs.writeFileSync(path.join(folder, "move.txt"), "0\n");
  fs.writeFileSync(path.join(folder, "command.txt"), "0,0,0\n");
}

function isFolder(name) {
  try {
    return fs.statSync(name).isDirectory();
  } catch (error) {
    return false;
  }
}

const request = process.argv.length > 2 ? process.argv[process.argv.length - 1] : "";
if (isFolder(request)) {
  readEveryFile(request);
  writeNothing(request);
} else {
  request.split("\n");
}
console.log("NO");
