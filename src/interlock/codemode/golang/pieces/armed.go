package main

// A program that imports nothing would be built without the library in which the checks lie, and could not show that they hold.
import _ "os"
