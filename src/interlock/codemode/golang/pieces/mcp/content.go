// Package mcp has the kinds of content that a program's Run returns, as the Model Context Protocol writes them.
package mcp

import "encoding/json"

// Meta is what is said of a content besides what it is.
type Meta map[string]any

// Annotations tell a client whom a content is for.
type Annotations struct {
	Audience     []string `json:"audience,omitempty"`
	LastModified string   `json:"lastModified,omitempty"`
	Priority     float64  `json:"priority,omitempty"`
}

// Content is a TextContent, ImageContent, AudioContent, ResourceLink or EmbeddedResource.
type Content interface {
	MarshalJSON() ([]byte, error)
	kind() string
}

// TextContent is text.
type TextContent struct {
	Text        string
	Meta        Meta
	Annotations *Annotations
}

// ImageContent is an image.
type ImageContent struct {
	Meta        Meta
	Annotations *Annotations
	Data        []byte
	MIMEType    string
}

// AudioContent is sound.
type AudioContent struct {
	Data        []byte
	MIMEType    string
	Meta        Meta
	Annotations *Annotations
}

// ResourceLink leads to a resource.
type ResourceLink struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string
	Size        *int64
	Meta        Meta
	Annotations *Annotations
}

// ResourceContents is what a resource holds: text or a blob.
type ResourceContents struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	Text     string `json:"text,omitempty"`
	Blob     []byte `json:"blob,omitempty"`
	Meta     Meta   `json:"_meta,omitempty"`
}

// EmbeddedResource is a resource with what it holds.
type EmbeddedResource struct {
	Resource    *ResourceContents
	Meta        Meta
	Annotations *Annotations
}

func (*TextContent) kind() string      { return "text" }
func (*ImageContent) kind() string     { return "image" }
func (*AudioContent) kind() string     { return "audio" }
func (*ResourceLink) kind() string     { return "resource_link" }
func (*EmbeddedResource) kind() string { return "resource" }

func written(kind string, meta Meta, notes *Annotations, fields map[string]any) ([]byte, error) {
	fields["type"] = kind
	if len(meta) > 0 {
		fields["_meta"] = meta
	}
	if notes != nil {
		fields["annotations"] = notes
	}
	return json.Marshal(fields)
}

// MarshalJSON writes the content as the protocol has it.
func (c *TextContent) MarshalJSON() ([]byte, error) {
	return written(c.kind(), c.Meta, c.Annotations, map[string]any{"text": c.Text})
}

// MarshalJSON writes the content as the protocol has it.
func (c *ImageContent) MarshalJSON() ([]byte, error) {
	return written(c.kind(), c.Meta, c.Annotations, map[string]any{"data": c.Data, "mimeType": c.MIMEType})
}

// MarshalJSON writes the content as the protocol has it.
func (c *AudioContent) MarshalJSON() ([]byte, error) {
	return written(c.kind(), c.Meta, c.Annotations, map[string]any{"data": c.Data, "mimeType": c.MIMEType})
}

// MarshalJSON writes the content as the protocol has it.
func (c *ResourceLink) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"uri": c.URI, "name": c.Name}
	for key, value := range map[string]string{"title": c.Title, "description": c.Description, "mimeType": c.MIMEType} {
		if value != "" {
			fields[key] = value
		}
	}
	if c.Size != nil {
		fields["size"] = *c.Size
	}
	return written(c.kind(), c.Meta, c.Annotations, fields)
}

// MarshalJSON writes the content as the protocol has it.
func (c *EmbeddedResource) MarshalJSON() ([]byte, error) {
	return written(c.kind(), c.Meta, c.Annotations, map[string]any{"resource": c.Resource})
}
